#!/bin/bash
# A real Ceph object store on loopback: one monitor, one disk and the S3 gateway.
# It needs the Debian packages ceph-mon, ceph-osd and radosgw, and no root.
#
#   ceph.sh DIR PORT     starts it and prints "ready"; when standard input ends, stops it and removes DIR
#
# DIR   a folder of a real disk (not tmpfs), which gets a sparse file of 10 GiB, of which 1 GB is soon used
# PORT  of S3; the monitor has the next one
#
# Keys: access key "testkey", secret "testsecret". Buckets: none. It takes 6 s to start and 4 s to stop.
set -euo pipefail

HOST=127.0.0.1
TENTHS_TO_START=600
TENTHS_TO_STOP=80

fail() { echo "ceph.sh: $*; see $DIR/log" >&2; exit 1; }

declare -A PIDS

# Starts a program in the background, under a name.
launch() {
  setsid "$2" -f -c "$CONF" "${@:3}" </dev/null >>"$DIR/log/$1.out" 2>&1 &
  PIDS[$1]=$!
}

runs() { kill -0 "${PIDS[$1]}" 2>/dev/null; }

end() {
  [ -n "${PIDS[$1]:-}" ] || return 0
  kill "${PIDS[$1]}" 2>/dev/null || true
  for ((i = 0; i < TENTHS_TO_STOP; i++)); do runs "$1" || return 0; sleep 0.1; done
  kill -9 "${PIDS[$1]}" 2>/dev/null || true
}

# Waits until a command succeeds: wait_for NAME COMMAND…
wait_for() {
  for ((i = 0; i < TENTHS_TO_START; i++)); do
    "${@:2}" >/dev/null 2>&1 && return
    runs "$1" || fail "$1 has ended"
    sleep 0.1
  done
  fail "$1 has not come up"
}

ceph_do() { timeout 30 ceph -c "$CONF" "$@"; }
disk_is_up() { ceph_do osd stat | grep -q ' 1 up'; }

# A bare request: the port alone may be open before the gateway responds.
gateway_responds() {
  local status
  exec 3<>"/dev/tcp/$HOST/$PORT" || return 1
  printf 'GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$HOST" >&3
  read -r -t 5 status <&3
  exec 3>&-
  [[ $status == *' 200 '* ]]
}

# No manager: it takes 10 s and 300 MB, and nothing here asks for it. Without it the monitor does not
# see how full a disk is. cephx stays on: the gateway does not start without.
write_config() {
  cat >"$CONF" <<CONFIG
[global]
fsid = $FSID
mon_host = [v2:$HOST:$((PORT + 1))/0]
mon_initial_members = a
public_addr = $HOST
cluster_addr = $HOST
ms_bind_msgr1 = false
auth_allow_insecure_global_id_reclaim = false
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_warn = 2
mon_data_avail_crit = 1
keyring = $DIR/keyring
log_file = $DIR/log/\$name.log
admin_socket =
pid_file =
run_dir = $DIR/run
crash_dir = $DIR/log
[mon]
mon_data = $DIR/mon
[osd]
osd_data = $DIR/\$name
osd_objectstore = bluestore
bluestore_block_size = 10737418240
osd_memory_target = 939524096
[client.rgw.a]
rgw_data = $DIR/rgw
# Without tcp_nodelay each response takes 40 ms.
rgw_frontends = beast endpoint=$HOST:$PORT tcp_nodelay=1
rgw_thread_pool_size = 128
rgw_gc_obj_min_wait = 60
rgw_gc_processor_period = 60
debug_rgw = 0
CONFIG
}

make_keys() {
  local add="ceph-authtool $DIR/keyring --gen-key -n"
  $add mon. --create-keyring --cap mon 'allow *'
  $add client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
  $add client.rgw.a --cap mon 'allow rw' --cap osd 'allow rwx'
  $add osd.0 --cap mon 'allow profile osd' --cap mgr 'allow profile osd' --cap osd 'allow *'
}

new_uuid() { cat /proc/sys/kernel/random/uuid; }

DIR=$(cd "$1" && pwd)
PORT=$2
CONF=$DIR/ceph.conf
FSID=$(new_uuid)
OSD=$(new_uuid)
# Whoever holds the other end of standard input may end in any way. In this order: a disk without its monitor hangs.
trap 'end rgw; end osd0; end mon; rm -rf "$DIR"' EXIT
trap 'exit 143' TERM INT HUP

mkdir -p "$DIR"/{mon,osd.0,rgw,log,run}
write_config
make_keys >/dev/null
monmaptool --create --clobber --fsid "$FSID" --addv a "[v2:$HOST:$((PORT + 1))]" "$DIR/monmap" >/dev/null
ceph-mon -c "$CONF" -i a --mkfs --monmap "$DIR/monmap" --keyring "$DIR/keyring"
launch mon ceph-mon -i a
wait_for mon ceph_do mon stat
ceph_do osd new "$OSD" >/dev/null 2>&1
ceph-osd -c "$CONF" -i 0 --mkfs --osd-uuid "$OSD" >"$DIR/log/mkfs.out" 2>&1
launch osd0 ceph-osd -i 0
wait_for osd0 disk_is_up
launch rgw radosgw -n client.rgw.a
wait_for rgw gateway_responds
radosgw-admin -c "$CONF" user create --uid test --display-name test \
  --access-key testkey --secret-key testsecret >"$DIR/log/user.json"
echo ready
cat >/dev/null
