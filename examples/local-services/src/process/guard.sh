#!/bin/sh
# Ends a service, and removes its directory, once whoever started it is gone.
#
# The starter holds the other end of stdin and writes the pid to watch, one a line; an empty line means "none".
# However the starter ends, kill -9 included, the kernel closes that pipe, and only then does this script act.
#
# usage: guard.sh SIGNAL [DIRECTORY]
signal=$1
directory=$2

pid=
while read -r line; do pid=$line; done

if [ -n "$pid" ]; then
  # A stopped (SIGSTOP) process would keep the signal pending for ever.
  kill -CONT "$pid" 2>/dev/null
  kill -"$signal" "$pid" 2>/dev/null
  # Postgres waits 5 s before it kills backends that do not leave, so give it twice that.
  tenths=0
  while [ "$tenths" -lt 100 ] && kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
    tenths=$((tenths + 1))
  done
  kill -KILL "$pid" 2>/dev/null
fi

[ -z "$directory" ] || rm -rf -- "$directory"
