// Express 5 with express-openapi-validator: requests and responses validated against the same document.
import { fileURLToPath } from 'node:url';
import express from 'express';
import * as validator from 'express-openapi-validator';
import { deleteAll, PATH, portOf, toEnvelope } from './stubs-handler.ts';

express()
  .use(express.json())
  .use(
    validator.middleware({
      apiSpec: fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json')),
      validateRequests: true,
      validateResponses: true,
      validateSecurity: { handlers: { authorization: () => true, timestamp: () => true } },
    }),
  )
  .post(PATH, (request, response) => {
    response.json(toEnvelope(deleteAll(request.body.fileList)));
  })
  .listen(portOf(), '127.0.0.1');
