import type { HeaderList } from '../../http/header-list.ts';
import type { Socket } from '../../http/open-web-socket.ts';
import type { Trial } from '../../trial/trial.ts';

/** The WebSocket handshake as it reached the fixture service. */
export async function readHello(
  t: Trial,
  socket: Socket,
): Promise<{ target: string; headers: HeaderList }> {
  socket.send('!hello');
  const message = await socket.next().catch(() => undefined);
  const hello = parse(message?.data.toString() ?? '');
  t.reach(hello !== undefined, 'the fixture did not tell what handshake it got');
  return hello;
}

function parse(text: string): { target: string; headers: HeaderList } | undefined {
  try {
    const hello = JSON.parse(text);
    return typeof hello.target === 'string' && Array.isArray(hello.headers) ? hello : undefined;
  } catch {
    return undefined;
  }
}
