#!/bin/sh
# A client that notes its process in the file NOTE and does nothing more.
echo $$ >"$NOTE.new"
mv "$NOTE.new" "$NOTE"
exec sleep 1000
