#!/bin/sh
# A client that writes its process id to the file $NOTE, then sleeps.
echo $$ >"$NOTE.new"
mv "$NOTE.new" "$NOTE"
exec sleep 1000
