import { createServer } from '@berth/server';

await using server = await createServer({
  listen: { port: 0 },
  admin: false, // no health checks or metrics
  store: { driver: 'file', root: './files-of-tests' },
  keys: [{ secret: 'a secret of your own choice, 32 bytes' }],
  environments: { dev: { credentials: [{ id: 'me', secret: 'another secret of your own' }] } },
});
await server.listen();
console.log(server.url);
