import { listen } from './listen.ts';

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(() => {});
  await close();
  return port;
}
