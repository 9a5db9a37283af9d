const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'there is a file in place of a folder',
  EACCES: 'this user may not read it',
};

/** Why a file or a folder cannot be read, as the end of a sentence without its full stop. */
export function describeFileError({ code = '', message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}
