import type { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from './make-temporary-folder.ts';
import { SERVER_CORE, startProgram } from './start-process.ts';

/** Where Debian's package puts it. */
const NGINX = '/usr/sbin/nginx';

export const hasNginx = existsSync(NGINX);

/** Starts nginx as one process on one core, as a proxy that keeps its connections and takes `prefix` off. */
export function startNginx(port: string, origin: string, prefix: string): ChildProcess {
  const folder = makeTemporaryFolder('nginx');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, toConfig(folder, port, new URL(origin).host, prefix));
  return startProgram([NGINX, '-p', folder, '-c', file, '-e', 'stderr'], SERVER_CORE);
}

function toConfig(folder: string, port: string, host: string, prefix: string): string {
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  upstream service { server ${host}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location ${prefix}/ {
      proxy_pass http://service/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
