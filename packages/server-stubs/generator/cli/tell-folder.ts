/**
 * Makes of an error of the file system one that names the folder and what to do; any other error stays.
 *
 * @example
 * await write(file).catch(tellFolder(folder, 'name another one'));
 */
export function tellFolder(folder: string, fix: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall === undefined) throw error;
    throw new Error(`${folder} cannot be written (${error.code}): ${fix}.`, { cause: error });
  };
}
