import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';

const server = createApp().listen(Number(process.env.PORT ?? 8080), '127.0.0.1', (error) => {
  if (error) throw error;
  const { address, port } = server.address() as AddressInfo;
  process.stdout.write(`Listening on http://${address}:${port}\n`);
});
