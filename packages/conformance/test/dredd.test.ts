import { expect, test } from 'vitest';
import { documents } from '../src/contract/documents.ts';
import { drive } from '../src/dredd/drive.ts';
import { StartError } from '../src/result.ts';

/** Drives a document without a single call, and returns the operations that Dredd drafted. */
async function driveDocument(document: object): Promise<string[]> {
  const drafted: string[] = [];
  const onDraft = async ({ operationId }: { operationId: string }) =>
    void drafted.push(operationId);
  await drive([JSON.stringify(document)], onDraft, new AbortController().signal);
  return drafted;
}

test('every transaction is created', async () => {
  expect(await driveDocument(documents.storage.copy)).toHaveLength(12);
});

test('a Dredd warning ends the run, because Dredd drops what it warns about', async () => {
  const broken = structuredClone(documents.storage.copy);
  Object.assign(broken.info, { summary: 'A key of OpenAPI 3.1.' });
  const driven = driveDocument(broken);
  await expect(driven).rejects.toThrow(StartError);
  await expect(driven).rejects.toThrow(/^Dredd warns about the document: .*'summary'/);
});

test('an invalid document ends the run', async () => {
  await expect(driveDocument({ openapi: '3.0.0' })).rejects.toThrow();
});
