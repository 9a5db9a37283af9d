import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isObject } from '../../is-object.ts';
import { judgeService } from '../checking/judge-service.ts';
import { describeProblem, type Problem } from '../checking/problem.ts';
import { compileService } from '../compile-service.ts';
import type { CompiledService } from '../compiled-service.ts';
import type { FakeService } from '../fake-service.ts';
import type { SourceFile } from './list-files.ts';
import type { ReadFile } from './read-yaml.ts';
import type { ServiceFault } from './service-fault.ts';
import { findNameFault } from './service-name.ts';

/** What a file came to: services, or what is wrong with it. */
export type Judged =
  | { readonly services: readonly CompiledService[] }
  | { readonly faults: readonly ServiceFault[] };

/** Judges and compiles the one service of a file. */
export async function judgeFile(file: SourceFile, { value, locate }: ReadFile): Promise<Judged> {
  const { path, name } = file;
  const toFault = (problem: Problem): ServiceFault => ({
    file: path,
    ...locate(problem),
    message: describeProblem(problem),
  });
  if (name === undefined) return judgeServices(value, dirname(path), toFault);
  const nameFault = findNameFault(name);
  if (nameFault !== undefined) {
    const message = `The file name ${name} ${nameFault} Rename it, or begin it with _ if it is no service.`;
    return { faults: [{ file: path, message }] };
  }
  const problems = await judgeOne(value, dirname(path), []);
  if (problems.length > 0) return { faults: problems.map(toFault) };
  return { services: [compileService(name, value as FakeService, dirname(path))] };
}

/**
 * Judges and compiles services by name.
 *
 * @param folder where the paths of their files begin
 */
export async function judgeServices(
  value: unknown,
  folder: string,
  toFault: (problem: Problem) => ServiceFault = (problem) => ({
    message: describeProblem(problem),
  }),
): Promise<Judged> {
  if (!isObject(value)) {
    return { faults: [toFault({ path: [], rest: 'must be an object of services by name.' })] };
  }
  const entries = Object.entries(value);
  const problems: Problem[] = [];
  for (const [name, service] of entries) {
    const rest = findNameFault(name);
    if (rest !== undefined) problems.push({ path: [name], isKey: true, rest });
    problems.push(...(await judgeOne(service, folder, [name])));
  }
  if (problems.length > 0) return { faults: problems.map(toFault) };
  return {
    services: entries.map(([name, service]) =>
      compileService(name, service as FakeService, folder),
    ),
  };
}

async function judgeOne(service: unknown, folder: string, prefix: string[]): Promise<Problem[]> {
  const problems = [...(await judgeService(service)), ...(await judgePaths(service, folder))];
  return problems.map((problem) => ({ ...problem, path: [...prefix, ...problem.path] }));
}

async function judgePaths(service: unknown, folder: string): Promise<Problem[]> {
  const routes = isObject(service) && isObject(service.routes) ? service.routes : {};
  const problems = Object.entries(routes).map(async ([key, route]): Promise<Problem[]> => {
    if (!isObject(route) || typeof route.file !== 'string' || route.file === '') return [];
    const path = resolve(folder, route.file);
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    return isFile
      ? []
      : [{ path: ['routes', key, 'file'], rest: `must be a file; ${path} is none.` }];
  });
  return (await Promise.all(problems)).flat();
}
