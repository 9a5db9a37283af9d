import { expect, test } from 'vitest';
import { documents } from '../src/contract/documents.ts';
import { type DriveOptions, drive } from '../src/dredd/drive.ts';
import { StartError } from '../src/result.ts';

/** Drives a document without a single call. */
function driveDocument(document: object): { ended: Promise<void>; asked: string[] } {
  const asked: string[] = [];
  const options: DriveOptions = {
    documents: [JSON.stringify(document)],
    timeout: 1000,
    signal: new AbortController().signal,
    prepare: async ({ operationId }) => {
      asked.push(operationId);
      return undefined;
    },
    onAnswer: () => expect.unreachable(),
    onError: () => expect.unreachable(),
  };
  return { ended: drive(options), asked };
}

test('a transaction without a request is left out', async () => {
  const { ended, asked } = driveDocument(documents.storage.copy);
  await ended;
  expect(asked).toHaveLength(12);
});

test('a warning of Dredd ends the run, for Dredd drops what it warns about', async () => {
  const broken = structuredClone(documents.storage.copy);
  Object.assign(broken.info, { summary: 'A key of OpenAPI 3.1.' });
  const { ended, asked } = driveDocument(broken);
  await expect(ended).rejects.toThrow(StartError);
  await expect(ended).rejects.toThrow(/^Dredd warns about the document: .*'summary'/);
  expect(asked).toEqual([]);
});

test('a document that is none ends the run', async () => {
  await expect(driveDocument({ openapi: '3.0.0' }).ended).rejects.toThrow();
});
