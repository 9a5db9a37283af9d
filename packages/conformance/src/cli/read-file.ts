import { readFile } from 'node:fs/promises';
import { StartError } from '../start-error.ts';

/**
 * The content of a file that an option names.
 *
 * @throws StartError with one sentence
 */
export async function readTextFile(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`The file of ${option} cannot be read: ${file} (${code}).`);
  }
}

/**
 * The same for JSON. What is wrong in it is named by its place only, for the file may hold credentials.
 *
 * @throws StartError with one sentence
 */
export async function readJsonFile(file: string, option: string): Promise<unknown> {
  const text = await readTextFile(file, option);
  try {
    return JSON.parse(text);
  } catch (error) {
    const [place = ''] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    throw new StartError(`The file of ${option} is no JSON: ${file}${place && `, ${place}`}.`);
  }
}
