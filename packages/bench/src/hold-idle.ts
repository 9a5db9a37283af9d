import { connect, type Socket } from 'node:net';
import { residentKilobytes } from './resident-kilobytes.ts';

/** How many connections open at once, so that no queue of the system overflows. */
const AT_ONCE = 100;
/** Opened before the first look at the memory, so that what is needed once is there. */
const WARM_UP = 300;
const SETTLE_MILLISECONDS = 2000;

export type Idle = { pid: number; url: URL; headers: Record<string, string>; count: number };

/**
 * Kilobytes that each of `count` idle connections costs a server: the growth of its resident memory. The
 * connections are closed afterwards. `undefined` where there is no `/proc`.
 */
export async function holdIdle({ pid, url, headers, count }: Idle): Promise<number | undefined> {
  const sockets: Socket[] = [];
  const grow = async (wanted: number) => {
    for (let left = wanted; left > 0; left -= AT_ONCE) {
      const batch = Array.from({ length: Math.min(left, AT_ONCE) }, () => open(url, headers));
      sockets.push(...(await Promise.all(batch)));
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS));
    return residentKilobytes(pid);
  };
  try {
    const before = await grow(WARM_UP);
    const after = await grow(count);
    return before === undefined || after === undefined ? undefined : (after - before) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Opens a connection and waits for the head of a good answer. */
function open(url: URL, headers: Record<string, string>): Promise<Socket> {
  const lines = Object.entries({ host: url.host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(Number(url.port), url.hostname);
  socket.write(`GET ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('data', (chunk) => {
      const head = chunk.toString('latin1');
      if (/^HTTP\/1\.1 (?:101|200) /.test(head)) resolve(socket.resume());
      else reject(new Error(`${url}: ${head.split('\r\n', 1)[0]}`));
    });
  });
}
