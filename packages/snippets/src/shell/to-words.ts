/**
 * Splits a line of shell into its simple commands, at `&&`, `||`, `|`, `;`, `&`, line breaks and `$(`. Each
 * command is a list of unquoted words, without comments and leading variable assignments.
 */
export function toCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  const token =
    /\\\n|[ \t]+|#[^\n]*|&&|\|\||\$\(|[|;\n()]|(?<![<>\d])&|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$(?!\()|[^\s'"\\|;()&$]|(?<=[<>\d])&)+)/gsy;
  for (const [text, word] of line.matchAll(token)) {
    if (word !== undefined) (commands.at(-1) as string[]).push(unquote(word));
    else if (!/^[ \t\\#]/.test(text)) commands.push([]);
  }
  return commands.map(withoutSettings).filter((words) => words.length > 0);
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, escaped) =>
    [single, double, escaped].find((part) => part !== undefined),
  );
}

function withoutSettings(words: string[]): string[] {
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  return first === -1 ? [] : words.slice(first);
}
