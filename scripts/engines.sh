#!/bin/sh
# `npm run engines`: installs the programs that some tests need from Debian or Ubuntu packages. Does nothing if they
# are there.
set -eu
PATH=$PATH:/usr/sbin
packages=

# need PACKAGE PROGRAM [OTHER]
need() {
  command -v "$2" >/dev/null || command -v "${3:-$2}" >/dev/null || packages="$packages $1"
}

need ceph-mon ceph-mon
need ceph-osd ceph-osd
need radosgw radosgw
need redis-server redis-server valkey-server
need chromium chromium google-chrome
need curl curl
need jq jq
need python3 python3
need golang-go go

[ -n "$packages" ] || exit 0
if ! command -v apt-get >/dev/null; then
  echo "Only Debian and Ubuntu have these packages. Install by hand what they contain:$packages" >&2
  exit 1
fi
echo "Installing$packages …"
if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3"
$apt update
# shellcheck disable=SC2086
$apt install --yes --no-install-recommends $packages
