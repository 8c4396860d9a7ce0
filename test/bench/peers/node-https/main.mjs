// The least that a controller can be in Node: it watches Echoes over node:https, and does nothing about them. Its
// kubeconfig is JSON, which is YAML too.
import { readFileSync } from "node:fs";
import https from "node:https";
import { createInterface } from "node:readline";

const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG, "utf8"));
const [{ cluster }] = clusters;
const [{ user }] = users;
const ca = Buffer.from(cluster["certificate-authority-data"], "base64");
const headers = { authorization: `Bearer ${user.token}` };

function watch() {
  const url = new URL("/apis/my-operator.dev/v1/echoes?watch=1&allowWatchBookmarks=true", cluster.server);
  const again = () => setTimeout(watch, 1000);
  https
    .get(url, { ca, headers }, response => {
      // The kind and the rights to it are seconds old.
      if (response.statusCode !== 200) {
        console.error(`HTTP ${response.statusCode}, again in 1 s`);
        response.resume();
        again();
        return;
      }
      createInterface({ input: response })
        .on("line", line => console.log(JSON.parse(line).type))
        .on("close", again);
    })
    .on("error", again);
}

watch();
