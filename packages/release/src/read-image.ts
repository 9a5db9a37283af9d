import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';

interface Instruction {
  /** In capitals. */
  keyword: string;
  /** `--from=install` */
  flags: string[];
  /** What follows keyword and flags. */
  text: string;
}

/** A command line of the header, such as that of `docker run`. */
interface DockerCommand {
  /** `build` or `run` */
  verb: string;
  options: [name: string, value: string][];
  /** The name of the image; of `build` the folder of its context. */
  target: string;
  /** What follows the image. */
  args: string[];
}

export interface Image {
  /** The comment that the file begins with. */
  header: string;
  /** The lines `Build:` and `Run:` of the header. */
  commands: DockerCommand[];
  /** Instructions of the stage that installs the package, and of the one that runs it. */
  stages: Instruction[][];
  /** The text of the last instruction with a keyword. */
  get(keyword: string): string | undefined;
  /** The words of `ENTRYPOINT`, `CMD` or `HEALTHCHECK`, without a shell; none if it is not there. */
  words(keyword: string): string[];
}

/** Options of `docker` without a value. */
const SWITCHES = ['--rm'];

/** Reads the Dockerfile of a package, as far as the images of this repository go. */
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
