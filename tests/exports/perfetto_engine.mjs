// SPDX-License-Identifier: Apache-2.0
//
// Perfetto's trace processor, as its page loads it: the worker of the page, and the WebAssembly
// beside it, run here without a browser. What comes on standard input are its remote calls, and the
// answers go to standard output (perfetto_reader.py).
//
//     node perfetto_engine.mjs FOLDER     where engine_bundle.js and trace_processor.wasm are
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const folder = process.argv[2];

// The worker asks for its WebAssembly with this, and waits.
class XMLHttpRequest {
    open(_method, name) {
        this.response = readFileSync(join(folder, name));
    }
    send() {}
}

// All that the worker finds around it: by this it takes itself for one in a browser.
const worker = { TextDecoder, URL, XMLHttpRequest, performance, console: { ...console, log: console.error } };
worker.self = worker;
worker.location = { href: "worker:///" };
worker.WorkerGlobalScope = class {};
vm.createContext(worker);
vm.runInContext(readFileSync(join(folder, "engine_bundle.js"), "utf8"), worker);

const port = { postMessage: (bytes) => process.stdout.write(bytes) };
worker.onmessage({ data: port });
const Bytes = vm.runInContext("Uint8Array", worker);
for await (const chunk of process.stdin) {
    port.onmessage({ data: Bytes.from(chunk) });
}
