#!/bin/sh
# Writes the secrets of compose.yaml beside it, where there are none, and the realm of Keycloak that knows the client's.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then echo "secrets is there already" >&2; exit 1; fi
random() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
# The folder is yours alone; the files in it are read by the users of the containers, who see nothing of the folder.
(umask 077 && mkdir secrets)
random 48 >secrets/session
random 24 >secrets/oidc
printf 'GK%s' "$(random 12)" >secrets/s3-key-id
random 32 >secrets/s3-secret
random 32 >secrets/garage-rpc
chmod 444 secrets/*
# Garage takes its own only when nobody else can read it; it runs as root.
chmod 400 secrets/garage-rpc
sed "s/@CLIENT_SECRET@/$(cat secrets/oidc)/" realm.template.json >secrets/realm.json
chmod 444 secrets/realm.json
