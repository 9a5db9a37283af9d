/**
 * Which imports `npm run lint` forbids. ARCHITECTURE.md says in words what stands here as rules.
 */

/** The layers of each package, from top to bottom: none imports from one above it. */
const LAYERS = {};

const TEST = '(\\.test(-d)?\\.ts|/test/.*)$';
const CODE = '^packages/[^/]+/(src|generator)/';

/** What the code of a package may import of the others. */
const PACKAGES = [
  { from: ['client', 'server-stubs', 'conformance'], to: [] },
  { from: ['mock', 'server'], to: ['server-stubs'] },
  { from: ['codegen', 'runtimes'], to: [] },
];

const between = PACKAGES.flatMap(({ from, to }) =>
  from.map((name) => ({
    name: `${name}-imports-no-other-package`,
    severity: 'error',
    from: { path: `^packages/${name}/(src|generator)/`, pathNot: TEST },
    to: { path: '^packages/', pathNot: `^packages/(${[name, ...to].join('|')})/` },
  })),
);

const upward = Object.entries(LAYERS).flatMap(([folder, layers]) =>
  layers.slice(1).map((layer, index) => ({
    name: `${layer}-imports-nothing-above`,
    severity: 'error',
    from: { path: `^${folder}/${layer}(/|\\.ts$)`, pathNot: TEST },
    to: { path: `^${folder}/(${layers.slice(0, index + 1).join('|')})(/|\\.ts$)` },
  })),
);

export default {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-test-in-code',
      severity: 'error',
      from: { path: CODE, pathNot: TEST },
      to: { path: TEST, pathNot: 'node_modules' },
    },
    ...between,
    ...upward,
  ],
  options: {
    // Imports of types count.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist|\\.turbo|\\.cache)/' },
    enhancedResolveOptions: {
      conditionNames: ['berth-source', 'import', 'node'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.d.ts'],
    },
  },
};
