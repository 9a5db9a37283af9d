import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from '@berth/runtimes/typescript';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'src/');

/** Words for the unit of a number. */
const UNIT =
  /millisecond|\bms\b|second|\bbytes?\b|\battempts?\b|\bcalls\b|\buploads\b|\bfiles\b|\bstatus\b|position/i;

/** Words that describe how a call fails. */
const ERRORS = /\b(throws?|rejects?|fails?|error)\b/i;

interface Manifest {
  readonly exports: Record<string, string | { readonly 'berth-source': string }>;
}

/** The source file of each entry of the package, by name. */
function listEntries(): Record<string, string> {
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [[name, join(ROOT, target['berth-source'])] as const],
  );
  return Object.fromEntries(entries);
}

/**
 * Returns what is missing in the documentation of public symbols: a comment on each symbol, each
 * property of an interface or object type, and each member of a class; an example for each function,
 * class and options interface; a unit for each number; and errors for everything that returns a promise.
 * Skips generated code and code from other packages.
 */
export function findMissingDocs(): string[] {
  const files = Object.values(listEntries());
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    customConditions: ['berth-source'],
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    jsx: ts.JsxEmit.ReactJSX,
  });
  const checker = program.getTypeChecker();
  const missing = new Set<string>();

  const isOurs = (symbol: ts.Symbol) =>
    (symbol.declarations ?? []).some((declaration) => {
      const { fileName } = declaration.getSourceFile();
      return fileName.startsWith(SOURCE) && !fileName.includes('/generated/');
    });
  const report = (symbol: ts.Symbol, name: string, text: string) => {
    const declaration = symbol.declarations?.[0];
    const file = declaration?.getSourceFile();
    const line = file?.getLineAndCharacterOfPosition(declaration?.getStart() ?? 0).line ?? 0;
    missing.add(`${relative(ROOT, file?.fileName ?? '')}:${line + 1} ${name}: ${text}`);
  };
  const docOf = (symbol: ts.Symbol) =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const hasTag = (symbol: ts.Symbol, name: string) =>
    symbol.getJsDocTags(checker).some((tag) => tag.name === name && tag.text?.length);

  const checkMembers = (owner: string, type: ts.Type, ownerDoc: string) => {
    for (const member of checker.getPropertiesOfType(type)) {
      const isPrivate = member.name.startsWith('#') || member.name === 'prototype';
      if (isPrivate || !isOurs(member)) continue;
      const name = `${owner}.${member.name}`;
      const doc = docOf(member);
      if (!doc) report(member, name, 'no comment');
      const memberType = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      if (doc && memberType.flags & ts.TypeFlags.Number && !UNIT.test(doc)) {
        report(member, name, 'no unit');
      }
      const gives = memberType.getCallSignatures().map((signature) => signature.getReturnType());
      const isCall = gives.some((type) =>
        /^(Promise|AsyncGenerator)$/.test(type.symbol?.name ?? ''),
      );
      if (isCall && !hasTag(member, 'throws') && !ERRORS.test(`${ownerDoc} ${doc}`)) {
        report(member, name, 'no errors');
      }
      // An inline type has its own properties.
      if (memberType.symbol?.name === '__type' && memberType.getCallSignatures().length === 0) {
        checkMembers(name, memberType, doc);
      }
    }
  };

  for (const [entry, file] of Object.entries(listEntries())) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`The entry ${entry} exports nothing.`);
    for (const exported of checker.getExportsOfModule(module)) {
      const isAlias = exported.flags & ts.SymbolFlags.Alias;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      if (!isOurs(symbol)) continue;
      const name = exported.name;
      if (!docOf(symbol)) report(symbol, name, 'no comment');
      const { Function: isFunction, Class: isClass } = ts.SymbolFlags;
      const needsExample =
        symbol.flags & (isFunction | isClass) ||
        (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias) &&
          /Options$/.test(name));
      if (needsExample && !hasTag(symbol, 'example')) report(symbol, name, 'no example');
      if (symbol.flags & (isFunction | ts.SymbolFlags.Variable)) continue;
      checkMembers(name, checker.getDeclaredTypeOfSymbol(symbol), docOf(symbol));
    }
  }
  return [...missing].sort();
}
