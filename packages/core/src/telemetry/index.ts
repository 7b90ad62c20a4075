/** OpenTelemetry spans and metrics of an offloader. */
export { telemetryListener } from './telemetry-listener.ts'
