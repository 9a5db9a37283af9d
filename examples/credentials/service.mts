// service.mts: a hosted service that signs storage calls for pages
import { createServer } from 'node:http';
import { tc3Storage } from '@berth/client';

const { BERTH_TC3_SECRET_ID: secretId = '', BERTH_TC3_SECRET_KEY: secretKey = '' } = process.env;
const sign = tc3Storage({ secretId, secretKey });

const server = createServer(async (_request, response) => {
  // The gateway has checked the token. Decide here whether this user may use the storage.
  const credentials = await sign();
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(credentials));
});
server.listen(9000, '127.0.0.1', () => console.log('ready'));
