import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import type { ConfigFault } from './config-error.ts';

type Path = ConfigFault['path'];

/** Reads the files that a configuration names, and collects what is wrong with them. */
export class FileReader {
  readonly faults: ConfigFault[] = [];
  /** Absolute paths of all that was read. */
  readonly files: string[] = [];
  readonly #folder: string;

  /** @param folder relative paths begin here */
  constructor(folder: string) {
    this.#folder = folder;
  }

  resolve(file: string): string {
    return resolve(this.#folder, file);
  }

  /** The text without the white space around it; empty where it cannot be read, which is a fault. */
  async text(file: string, path: Path): Promise<string> {
    const whole = this.resolve(file);
    this.files.push(whole);
    try {
      const text = (await readFile(whole, 'utf8')).trim();
      if (text === '') this.faults.push({ path, problem: `names ${whole}, which is empty` });
      return text;
    } catch (error) {
      const { errno = 0 } = error as NodeJS.ErrnoException;
      const reason = getSystemErrorMessage(errno);
      this.faults.push({ path, problem: `names ${whole}, which cannot be read: ${reason}` });
      return '';
    }
  }

  /** Undefined where it is no JSON, which is a fault. */
  async json(file: string, path: Path): Promise<unknown> {
    const text = await this.text(file, path);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      this.faults.push({ path, problem: `names ${this.resolve(file)}, which is no JSON` });
      return undefined;
    }
  }
}
