import { readFile } from 'node:fs/promises';
import type { DatedRow } from './row.ts';
import { suites } from './suites.ts';

const FIELDS: Readonly<Record<keyof DatedRow, 'string' | 'number' | 'boolean'>> = {
  suite: 'string',
  measure: 'string',
  peerName: 'string',
  goal: 'string',
  ours: 'number',
  peer: 'number',
  runs: 'number',
  ratio: 'number',
  holds: 'boolean',
  date: 'string',
  machine: 'string',
  peerVersion: 'string',
};

/**
 * The rows of an earlier run.
 *
 * @throws Error that says what is wrong with the file, and goes on where its name ends
 */
export async function readRows(file: string): Promise<DatedRow[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`cannot be read: ${error.code}`, { cause: error });
  });
  const rows = parse(text);
  if (!Array.isArray(rows)) throw new Error('is no list of rows');
  for (const [index, row] of rows.entries()) {
    const fault = findFault(row);
    if (fault !== undefined)
      throw new Error(`is no list of rows: the row at ${index} has ${fault}`);
  }
  return rows;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not good JSON: ${(error as Error).message}`, { cause: error });
  }
}

function findFault(row: Readonly<Record<string, unknown>> | null): string | undefined {
  for (const [name, type] of Object.entries(FIELDS)) {
    if (typeof row?.[name] !== type) return `no ${name}`;
  }
  if (suites.some(({ name }) => name === row?.suite)) return undefined;
  return `the suite ${row?.suite}, which there is not`;
}
