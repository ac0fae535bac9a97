@echo off
rem Starts the client on Windows with the given arguments:
rem   start.bat --host HOST --port PORT --reservation CODE
rem
rem Runs wabe.exe in this folder, otherwise target\release\wabe.exe. Unlike start.sh, it does not accept -h HOST.
setlocal
set "wabe=%~dp0wabe.exe"
if not exist "%wabe%" set "wabe=%~dp0target\release\wabe.exe"
if not exist "%wabe%" (
    echo start.bat: no wabe.exe in this folder or in target\release; build it with: cargo build --release >&2
    exit /b 1
)
echo start.bat: starting "%wabe%" >&2
"%wabe%" play %*
exit /b %errorlevel%
