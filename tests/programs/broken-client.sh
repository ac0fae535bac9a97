#!/bin/sh
# A client that does not come to play.
echo "no library for $1" >&2
exit 3
