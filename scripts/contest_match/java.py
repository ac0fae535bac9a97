"""Finds Java for the official programs."""

import os
import shutil

from .errors import UsageError

_OPTIONS = " ".join(
    f"--add-opens={package}=ALL-UNNAMED"
    for package in (
        "java.base/java.io",
        "java.base/java.lang",
        "java.base/java.lang.reflect",
        "java.base/java.text",
        "java.base/java.util",
        "java.base/java.util.concurrent",
        "java.desktop/java.awt.font",
    )
)
"""Options that the official programs, written for Java 8, need on Java 9 and newer."""


def find_java():
    """The path of Java."""
    name = os.environ.get("JAVA") or "java"
    found = shutil.which(name)
    if found is None:
        raise UsageError(
            f"no Java: {name!r} is not in the PATH. The official programs need Java 8 or newer "
            "(on Debian and Ubuntu: apt install default-jre-headless)"
        )
    return found


def environment():
    """The environment for official programs. Java 8 rejects the options but ignores the variable."""
    given = os.environ.get("JDK_JAVA_OPTIONS", "")
    return {**os.environ, "JDK_JAVA_OPTIONS": f"{given} {_OPTIONS}".strip()}
