// Servers of the same storage operation. The handler is the same, so that only the cost of routing varies.
// Arguments: port, one of the keys below. Each process loads only the server that it measures.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const PATH = '/api/v2/envs/:envId/storages\\:batchDelete';

const ENVIRONMENT = /^[a-z0-9-]{1,63}$/i;

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= 50 &&
  value.every((item) => typeof item === 'string' && item !== '');

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
  /** A handwritten Express 5 route with the same checks: credentials, environment, prototype keys, the list. */
  async 'peer-express'() {
    const { default: express } = await import('express');
    const { parse } = await import('secure-json-parse');
    return express()
      .use(express.text({ type: 'application/json' }))
      .post(PATH, ({ headers, params, body }, response) => {
        const refuse = (status: number, code: string) =>
          response
            .status(status)
            .json({ statusCode: status, body: { requestId: randomUUID(), code } });
        if (!headers['x-svc-authorization']) return refuse(401, 'SIGN_PARAM_INVALID');
        if (!ENVIRONMENT.test(params.envId)) return refuse(400, 'INVALID_ENV');
        const fields = parse(body);
        const { fileList } = fields.data ?? fields;
        if (!isList(fileList)) return refuse(400, 'INVALID_PARAM');
        return response.set('x-request-id', randomUUID()).json(toEnvelope(fileList));
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
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready'));
