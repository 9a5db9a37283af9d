// The reference server with its defaults: files on disk, signed calls. Its log is discarded.
import { createServer } from '@berth/server';

const [, , port, root = '', id = '', secret = ''] = process.argv;
const server = await createServer(
  {
    listen: { port: Number(port) },
    admin: { port: 0 },
    store: { driver: 'file', root },
    keys: [{ secret: 'a secret of the bench, long enough to sign with' }],
    environments: { dev: { credentials: [{ id, secret }] } },
  },
  { logTo: { write() {} } },
);
await server.listen();
