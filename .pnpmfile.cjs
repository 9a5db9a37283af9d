// The build of the mock has put Prism into `dist` (packages/mock/scripts/bundle.ts). It stays a dependency of
// the checkout, where the source imports it, and of the licence check and the SBOM.
module.exports = {
  hooks: {
    beforePacking(manifest) {
      if (manifest.name === '@berth/mock') delete manifest.dependencies['@stoplight/prism-http'];
      return manifest;
    },
  },
};
