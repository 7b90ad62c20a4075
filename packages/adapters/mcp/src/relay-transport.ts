import { isMessage, type Message } from './relay/message.ts'
import { OffloadRelay } from './relay/offload-relay.ts'
import type { RelaySettings } from './relay/relay-options.ts'

/** A transport of the MCP SDK 1 or 2. */
export interface McpTransport {
  start(): Promise<void>
  send(message: never, options?: never): Promise<void>
  close(): Promise<void>
}

type Handler = (message: unknown, extra?: unknown) => unknown

/** A transport with the members that the SDK versions type differently. */
export interface LooseTransport {
  send(message: unknown, options?: unknown): Promise<void>
  close(): Promise<void>
  onmessage?: Handler | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}

/** Put a relay between a transport and the client or server that uses it. All other members are unchanged. */
export function relayTransport<Transport extends McpTransport>(
  transport: Transport,
  settings: RelaySettings,
  user: 'client' | 'server',
): Transport {
  const inner = transport as unknown as LooseTransport
  // Existing handlers are called as without a relay.
  let { onmessage, onclose } = inner
  let isClosing = false
  const toUser = (message: Message, extra?: unknown): unknown => onmessage?.(message, extra)
  const toOther = async (message: Message, options?: unknown): Promise<void> => await inner.send(message, options)
  const onError = (thrown: unknown): void => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    if (settings.onError === undefined) inner.onerror?.(error)
    else settings.onError(error)
  }
  const relay = new OffloadRelay(settings, {
    toClient: user === 'client' ? toUser : toOther,
    toServer: user === 'client' ? toOther : toUser,
    onError,
  })

  const receive: Handler = (message, extra) => {
    if (!isMessage(message)) return onmessage?.(message, extra)
    if (user === 'server') {
      const { authInfo } = Object(extra) as { readonly authInfo?: unknown }
      return relay.fromClient(message, { authInfo, options: extra })
    }
    const delivered = relay.fromServer(message, extra)
    // A delayed message fails after the transport's call has returned, so its error is reported here.
    return delivered instanceof Promise ? delivered.catch(onError) : delivered
  }
  const send = async (message: unknown, options?: unknown): Promise<void> => {
    if (!isMessage(message)) return await inner.send(message, options)
    await (user === 'client' ? relay.fromClient(message, { options }) : relay.fromServer(message, options))
  }
  const close = async (): Promise<void> => {
    isClosing = true
    await inner.close()
  }
  const closed = (): void => {
    relay.close()
    // A client gets all messages that the server sent before the connection closed.
    const delivering = user === 'client' && !isClosing ? relay.delivering : undefined
    if (delivering === undefined) onclose?.()
    else void delivering.then(() => onclose?.())
  }

  return new Proxy(transport, {
    get(target, key) {
      if (key === 'send') return send
      if (key === 'close') return close
      if (key === 'onmessage') return onmessage
      if (key === 'onclose') return onclose
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' && !Object.hasOwn(target, key) ? (value.bind(target) as unknown) : value
    },
    set(target, key, value: unknown) {
      if (key === 'onmessage') {
        onmessage = value as LooseTransport['onmessage']
        // Set the handler only now, because transports hold messages until they have a handler.
        Reflect.set(inner, key, value === undefined ? undefined : receive)
      } else if (key === 'onclose') {
        onclose = value as LooseTransport['onclose']
        Reflect.set(inner, key, closed)
      } else Reflect.set(target, key, value)
      return true
    },
  })
}
