import { checkDeployment, STORAGE_RULES } from './support/check-deployment.ts';

// `wire-profile.test.ts` checks one process on a disk, with all rules.
checkDeployment('three processes on a disk, behind a round robin', {
  processes: 3,
  only: STORAGE_RULES,
});
