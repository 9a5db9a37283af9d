// Servers of the same storage operation. The handler is the same, so that only the cost of routing varies.
// Arguments: port, one of the keys below. Each process loads only the server that it measures.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const PATH = '/api/v2/envs/:envId/storages\\:batchDelete';

/** Reports every file as deleted. */
const deleteAll = (fileList: readonly string[]) => ({
  fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })),
});

/** The envelope, which our router adds by itself. */
const toEnvelope = (fileList: readonly string[]) => ({
  statusCode: 200,
  body: { requestId: randomUUID(), data: deleteAll(fileList) },
});

const SERVERS = {
  /** Our storage router in Express 5, with its default request and response validation. */
  async express() {
    const { default: express } = await import('express');
    const { createStorageRouter } = await import('@berth/server-stubs');
    const router = createStorageRouter(
      { batchDelete: ({ fileList }) => deleteAll(fileList) },
      { security: { credentials: () => 'bench' } },
    );
    return express().use(router);
  },
  /** A handwritten Express 5 route, with Express's body parser and no validation. */
  async 'peer-express'() {
    const { default: express } = await import('express');
    return express()
      .use(express.json())
      .post(PATH, ({ body }, response) => {
        response.json(toEnvelope(body.fileList));
      });
  },
  /** Express 5 with express-openapi-validator: requests and responses validated against the same document. */
  async 'peer-validator'() {
    const { default: express } = await import('express');
    const { middleware } = await import('express-openapi-validator');
    const validate = middleware({
      apiSpec: fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json')),
      validateRequests: true,
      validateResponses: true,
      validateSecurity: { handlers: { authorization: () => true, timestamp: () => true } },
    });
    return express()
      .use(express.json())
      .use(validate)
      .post(PATH, ({ body }, response) => {
        response.json(toEnvelope(body.fileList));
      });
  },
};

const [, , port, name] = process.argv;
const server = await SERVERS[name as keyof typeof SERVERS]();
server.listen(Number(port), '127.0.0.1');
