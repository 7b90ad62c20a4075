/** A web page that shows the entries of a storage. */
export { createInspector, type Inspector, type InspectorOptions } from './create-inspector.ts'
