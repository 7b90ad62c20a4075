export { conformanceCases } from './cases/index.ts'
export type {
  Capability,
  CaseContext,
  ConformanceCase,
  ConformanceClock,
  ConformanceHarness,
  ConformanceLevel,
  ConformancePowers,
  HarnessInstance,
  PowerName,
  StorageSettings,
} from './harness.ts'
export { ConformanceFailure } from './conformance-failure.ts'
export { runKillScript, type KillScript, type KillScriptEntry } from './kill-script.ts'
export { planConformance, type ConformanceOptions, type PlannedCase } from './plan.ts'
export {
  formatReport,
  type CaseFailure,
  type CaseResult,
  type ConformanceReport,
  type FormatReportOptions,
} from './report.ts'
export { runConformance, type RunConformanceOptions } from './run.ts'
export { wrappedHarness, type StorageWrapping } from './wrapped-harness.ts'
