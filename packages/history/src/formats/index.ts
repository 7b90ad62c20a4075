/** Helpers for implementing a {@link HistoryFormat}. */
export { asRead, isAsRead } from '../history-message.ts'
export {
  checkMessages,
  checkRole,
  fieldError,
  isFields,
  nativeIn,
  nativeOf,
  withFields,
  writeMessages,
  type Fields,
  type MessageWriter,
} from './check-fields.ts'
export {
  argumentsObject,
  argumentsValue,
  jsonText,
  responseTextField,
  writeBlock,
  writeContent,
  type ContentRules,
} from './content-list.ts'
export { base64Of, mediaFields, urlOf, type MediaSource } from './media-source.ts'
export { createNamedCalls, type NamedCalls } from './named-calls.ts'
