@echo off
rem Starts the client on Windows, as start.sh does elsewhere; every argument goes to it:
rem   start.bat --host HOST --port PORT --reservation CODE
rem
rem Takes wabe.exe beside this file, else what cargo builds.
setlocal
set "wabe=%~dp0wabe.exe"
if not exist "%wabe%" set "wabe=%~dp0target\release\wabe.exe"
if not exist "%wabe%" (
    echo start.bat: no wabe.exe beside this file nor in target\release; build it with: cargo build --release >&2
    exit /b 1
)
echo start.bat: starting "%wabe%" >&2
"%wabe%" play %*
exit /b %errorlevel%
