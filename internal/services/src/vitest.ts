/** Global setup of vitest projects whose tests use services. A service starts when a test first requests it. */
import { BROKER_VARIABLE, startBroker } from './service-broker.ts'

/** Let the processes of this run share services. Returns a function that stops them and reports unavailable ones. */
export async function setup(): Promise<() => Promise<void>> {
  // Another project of this run has already started the broker.
  if (process.env[BROKER_VARIABLE] !== undefined) return async () => {}
  const broker = await startBroker()
  process.env[BROKER_VARIABLE] = broker.url
  return async () => {
    for (const [name, service] of Object.entries(await broker.services.asked()))
      if (!service.available) console.warn(`Tests that need ${name} were skipped: ${service.why}`)
    await broker.stop()
    delete process.env[BROKER_VARIABLE]
  }
}
