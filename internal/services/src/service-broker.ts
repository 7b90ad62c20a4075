import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVICE_NAMES, type ServiceName, type SharedServices, type Unavailable } from './service.ts'
import { ServiceStarter } from './service-starter.ts'

/** Environment variable with the URL of a test run's broker. */
export const BROKER_VARIABLE = 'SPILLWAY_TEST_SERVICES'

/** Starts the shared services, and sends their addresses to other processes. */
export interface ServiceBroker {
  /** URL with a secret, so that only processes that know the URL can send requests. */
  readonly url: string
  readonly services: ServiceStarter
  /** Resolves when a request asks the broker to stop. */
  readonly stopped: Promise<void>
  /** Stop the services and the broker. */
  stop(): Promise<void>
}

/**
 * Start a broker in this process. All processes that know its URL share its services. A service starts with the first
 * request for it, and ends at the latest with this process.
 */
export async function startBroker(): Promise<ServiceBroker> {
  const services = new ServiceStarter()
  const path = `/${crypto.randomUUID()}`
  const { promise: stopped, resolve: haveStopped } = Promise.withResolvers<void>()
  const stop = async (): Promise<void> => {
    server.close()
    await services.stop()
    haveStopped()
  }
  const server = createServer((request, response) => {
    answer(services, path, request, stop).then(
      (body) => respond(response, body),
      (error: unknown) => respond(response, { error: String(error) }, 500),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The broker must not keep its process alive.
  server.unref()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, services, stopped, stop }
}

/** Request a service from the broker at `url`. Rejects if the broker has ended. */
export async function askBroker<Name extends ServiceName>(
  url: string,
  name: Name,
): Promise<SharedServices[Name] | Unavailable> {
  const response = await fetch(`${url}/${name}`)
  const body: unknown = await response.json()
  if (!response.ok) throw new Error(`The service ${name} failed: ${JSON.stringify(body)}`)
  return body as SharedServices[Name] | Unavailable
}

async function answer(
  services: ServiceStarter,
  path: string,
  { method, url = '' }: IncomingMessage,
  stop: () => Promise<void>,
): Promise<object> {
  if (url === path && method === 'GET') return await services.asked()
  if (url === path && method === 'DELETE') return await stop().then(() => ({}))
  const name = SERVICE_NAMES.find((known) => url === `${path}/${known}`)
  if (name === undefined) throw new Error('There is no such service.')
  return await services.get(name)
}

function respond(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
}
