"""The Java that the official programs run on."""

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
"""What the official programs, written for Java 8, need on Java 9 and newer."""


def find_java():
    """The path of a Java that can run something."""
    name = os.environ.get("JAVA") or "java"
    found = shutil.which(name)
    if found is None:
        raise UsageError(
            f"no Java: {name!r} is not in the PATH. The official programs need Java 8 or newer "
            "(on Debian and Ubuntu: apt install default-jre-headless)"
        )
    return found


def environment():
    """Java 8 does not know this variable, and would not know these options."""
    given = os.environ.get("JDK_JAVA_OPTIONS", "")
    return {**os.environ, "JDK_JAVA_OPTIONS": f"{given} {_OPTIONS}".strip()}
