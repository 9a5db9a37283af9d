import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';

interface Instruction {
  /** In upper case. */
  keyword: string;
  /** `--from=install` */
  flags: string[];
  /** What follows the keyword and flags. */
  text: string;
}

/** A command line in the header, such as one for `docker run`. */
interface DockerCommand {
  /** `build` or `run` */
  verb: string;
  options: [name: string, value: string][];
  /** The name of the image; for `build`, the folder of its context. */
  target: string;
  /** The arguments that follow the image. */
  args: string[];
}

export interface Image {
  /** The comment at the beginning of the file. */
  header: string;
  /** The `Build:` and `Run:` lines in the header. */
  commands: DockerCommand[];
  /** Instructions of the stage that installs the package, and of the one that runs it. */
  stages: Instruction[][];
  /** Returns the text of the last instruction with a keyword. */
  get(keyword: string): string | undefined;
  /** Returns the words of `ENTRYPOINT`, `CMD` or `HEALTHCHECK`, without a shell; none if it is missing. */
  words(keyword: string): string[];
}

/** Docker options that take no value. */
const SWITCHES = ['--rm'];

/** Parses a package's Dockerfile. Supports only what this repository's images need. */
export function readImage(folder: string): Image {
  const source = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const lines = /^(?:#.*\n)+/.exec(source)?.[0] ?? '';
  const header = lines.replaceAll(/^# ?/gm, '').replaceAll(/\\\n\s*/g, '');
  const stages: Instruction[][] = [];
  for (const instruction of DockerfileParser.parse(source).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') stages.push([]);
    const flags = 'getFlags' in instruction ? (instruction.getFlags as () => unknown[])() : [];
    const text = instruction.getArgumentsContent() ?? '';
    stages.at(-1)?.push({ keyword, flags: flags.map(String), text });
  }
  const get = (keyword: string) =>
    stages.at(-1)?.findLast((instruction) => instruction.keyword === keyword)?.text;
  return {
    header,
    commands: [...header.matchAll(/^(?:Build|Run): +docker (.+)$/gm)].map(([, line = '']) =>
      readCommand(line),
    ),
    stages,
    get,
    words: (keyword) => JSON.parse(get(keyword)?.replace(/^CMD /, '') ?? '[]'),
  };
}

function readCommand(line: string): DockerCommand {
  const [verb = '', ...words] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replaceAll('"', ''),
  );
  const options: [string, string][] = [];
  while (words[0]?.startsWith('-')) {
    const name = words.shift() ?? '';
    options.push([name, SWITCHES.includes(name) ? '' : (words.shift() ?? '')]);
  }
  const [target = '', ...args] = words;
  return { verb, options, target, args };
}
