/** Killed writers, killed servers and mixed load, for every backend. */
export type { Backend, BackendModule } from './backend.ts'
export { killConformanceWriter } from './kill-conformance-writer.ts'
export { killServerSoak, type KillableServer, type KillServerSoakOptions } from './kill-server-soak.ts'
export { isSoak, killSoak, type KillSoakOptions } from './kill-soak.ts'
export { mixedLoad, type MixedLoadOptions, type MixedLoadReport } from './mixed-load.ts'
export { ended, startScript } from './run-script.ts'
export { isSoakContent, soakContent } from './soak-content.ts'
export type { SoakOptions, SoakReport } from './soak-run.ts'
