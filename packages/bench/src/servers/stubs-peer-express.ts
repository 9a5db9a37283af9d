// A handwritten Express 5 route, with Express's body parser and no validation.
import express from 'express';
import { deleteAll, PATH, portOf, toEnvelope } from './stubs-handler.ts';

express()
  .use(express.json())
  .post(PATH, (request, response) => {
    response.json(toEnvelope(deleteAll(request.body.fileList)));
  })
  .listen(portOf(), '127.0.0.1');
