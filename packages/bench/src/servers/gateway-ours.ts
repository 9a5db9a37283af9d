// The reference server with its defaults: Bearer tokens (ES256), header rules, metrics. Its log is
// discarded. Prints a token once it listens. Arguments: port, hosted service URL, empty folder for
// files.
import { createServer } from '@berth/server';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const [, , port, origin = '', root = ''] = process.argv;
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
        // 6,000 event streams are open at the same time.
        services: { hello: { endpoints: [origin], maxCalls: 10_000 } },
      },
    },
  },
  { logTo: { write() {} } },
);
await server.listen();
process.stdout.write(token);
