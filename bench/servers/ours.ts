// The reference server with its defaults: Bearer tokens (ES256), signed calls, files on disk, metrics. Its log
// is discarded. Prints a token once it listens. Arguments: port, empty folder for files, hosted service URL, and
// the ID and secret of a key pair.
import { createServer } from '@berth/server';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const [, , port, root = '', origin = '', id = '', secret = ''] = process.argv;
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'bench' };
const token = await new SignJWT({ sub: 'bench' })
  .setProtectedHeader({ alg: 'ES256', kid: 'bench' })
  .setAudience('dev')
  .setExpirationTime('1h')
  .sign(privateKey);

const server = await createServer(
  {
    listen: { port: Number(port) },
    admin: { port: 0 },
    store: { driver: 'file', root },
    keys: [{ secret: 'a secret of the bench, long enough to sign with' }],
    environments: {
      dev: {
        tokens: { jwks: { keys: [key] } },
        credentials: id ? [{ id, secret }] : [],
        services: origin ? { hello: { endpoints: [origin] } } : {},
      },
    },
  },
  { logTo: { write() {} } },
);
await server.listen();
process.stdout.write(token);
