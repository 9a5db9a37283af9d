import type { Mutant } from './mutant.ts';
import { changeJson } from './support/answers.ts';

export const storageEnvelope: readonly Mutant[] = [
  {
    rule: 'ST-ENVELOPE-STATUS-CODE',
    breaks: 'the statusCode of a refused delete call is a string',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        if (answer.status < 400) return;
        changeJson(answer, (json) => {
          json.statusCode = String(json.statusCode);
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-STATUS-CODE',
    breaks: 'the answer with links has no statusCode',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        if (answer.status !== 200) return;
        changeJson(answer, (json) => {
          delete json.statusCode;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-SUCCESS',
    breaks: 'the statusCode of links is 0, as if it were the code of a process',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        if (answer.status !== 200) return;
        changeJson(answer, (json) => {
          json.statusCode = 0;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-STATUS-CODE',
    breaks: 'the statusCode of a refused copy call is 200',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeJson(answer, (json) => {
          json.statusCode = 200;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-STATUS-CODE',
    breaks: 'the statusCode of a copy that succeeded is 201',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        if (answer.status !== 200) return;
        changeJson(answer, (json) => {
          json.statusCode = 201;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-BODY',
    breaks: 'a refusal of the credentials is flat, without body',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (!request.operation || answer.status !== 401) return;
        const { body, ...rest } = answer.json;
        answer.json = { ...rest, ...body };
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-BODY',
    breaks: 'the body of a delete answer is JSON in a string',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        if (answer.status !== 200) return;
        changeJson(answer, (json) => {
          json.body = JSON.stringify(json.body);
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-REQUEST-ID',
    breaks: 'the requestId of a delete answer is a number',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeJson(answer, (json) => {
          json.body.requestId = 20_260_101;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-REQUEST-ID-PRESENT',
    breaks: 'a refusal of the credentials has no requestId',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (!request.operation || answer.status !== 401) return;
        changeJson(answer, (json) => {
          delete json.body.requestId;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-DATA',
    breaks: 'the data of a delete answer is the list itself',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        if (answer.status !== 200) return;
        changeJson(answer, (json) => {
          json.body.data = json.body.data.fileList;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-CODE',
    breaks: 'the code of refused credentials is a number',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (!request.operation || answer.status !== 401) return;
        changeJson(answer, (json) => {
          json.body.code = 401;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-CODE',
    breaks: 'a refusal of the credentials has data, which is null',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (!request.operation || answer.status !== 401) return;
        changeJson(answer, (json) => {
          json.body.data = null;
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-MESSAGE',
    breaks: 'the message of refused credentials is an object of languages',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (!request.operation || answer.status !== 401) return;
        changeJson(answer, (json) => {
          json.body.message = { en: json.body.message };
        });
      },
    }),
  },
  {
    rule: 'ST-ENVELOPE-MESSAGE-PRESENT',
    breaks: 'a refused copy call has no message',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        if (answer.status < 400) return;
        changeJson(answer, (json) => {
          delete json.body.message;
        });
      },
    }),
  },
];
