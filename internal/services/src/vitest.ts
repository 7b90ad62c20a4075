/** The global set-up of vitest projects whose tests use services: nothing starts until a test asks for it. */
import { BROKER_VARIABLE, startBroker } from './service-broker.ts'

/** Let the processes of this run share services; return what stops them, and names those that could not be had. */
export async function setup(): Promise<() => Promise<void>> {
  // Another project of this run has done it already.
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
