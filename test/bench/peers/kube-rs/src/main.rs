//! An Echo operator as kube-rs makes it when nothing is tuned: the benchmark's second peer.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::{
    api::core::v1::{Container, Pod, PodSpec},
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        controller::{Action, Controller},
        watcher,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What is asked for: a number of pods of one image.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "my-operator.dev",
    version = "v1",
    kind = "Echo",
    plural = "echoes"
)]
#[kube(namespaced, status = "EchoStatus", schema = "disabled")]
struct EchoSpec {
    replicas: usize,
    image: String,
}

/// What was found.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
struct EchoStatus {
    #[serde(default)]
    current_replicas: usize,
    #[serde(default)]
    is_ready: bool,
    #[serde(default)]
    selector: String,
    #[serde(default, rename = "observedGeneration")]
    observed_generation: i64,
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// Makes the pods of an Echo as many as it asks for and writes what it found.
async fn reconcile(echo: Arc<Echo>, client: Arc<Client>) -> kube::Result<Action> {
    if echo.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let namespace = echo.namespace().unwrap_or_default();
    let name = echo.name_any();
    let uid = echo.uid().unwrap_or_default();
    let api: Api<Pod> = Api::namespaced((*client).clone(), &namespace);
    let labelled = ListParams::default().labels(&format!("app={name},owner={uid}"));
    let mut pods: Vec<Pod> = api.list(&labelled).await?.items;
    pods.retain(|pod| {
        !is_ending(pod) && pod.owner_references().iter().any(|owner| owner.uid == uid)
    });
    while pods.len() < echo.spec.replicas {
        pods.push(api.create(&PostParams::default(), &new_pod(&echo)).await?);
    }
    for surplus in pods.drain(echo.spec.replicas..) {
        match api
            .delete(&surplus.name_any(), &DeleteParams::default())
            .await
        {
            Err(error) if !is_not_found(&error) => return Err(error),
            _ => {}
        }
    }
    apply_status(&echo, &pods, (*client).clone()).await?;
    Ok(Action::await_change())
}

fn is_ending(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    pod.metadata.deletion_timestamp.is_some() || matches!(phase, Some("Succeeded" | "Failed"))
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod
        .status
        .as_ref()
        .and_then(|status| status.conditions.as_ref());
    conditions.is_some_and(|all| {
        all.iter()
            .any(|one| one.type_ == "Ready" && one.status == "True")
    })
}

fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

fn new_pod(echo: &Echo) -> Pod {
    let labels = [
        ("app", echo.name_any()),
        ("owner", echo.uid().unwrap_or_default()),
    ];
    Pod {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", echo.name_any())),
            labels: Some(labels.map(|(key, value)| (key.into(), value)).into()),
            owner_references: Some(echo.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![Container {
                name: "nginx".into(),
                image: Some(echo.spec.image.clone()),
                ..Container::default()
            }],
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}

/// Writes what the pods are like, unless the status says so already.
async fn apply_status(echo: &Echo, pods: &[Pod], client: Client) -> kube::Result<()> {
    let before = echo.status.clone().unwrap_or_default();
    let ready = pods.iter().filter(|pod| is_ready(pod)).count() == echo.spec.replicas;
    let (state, reason, message) = if ready {
        ("True", "Synced", "all pods are ready")
    } else {
        ("False", "Progressing", "pods are not ready yet")
    };
    let unchanged = before
        .conditions
        .iter()
        .find(|one| one.type_ == "Ready" && one.status == state);
    let generation = echo.metadata.generation;
    let status = EchoStatus {
        current_replicas: pods.len(),
        is_ready: ready,
        selector: format!(
            "app={},owner={}",
            echo.name_any(),
            echo.uid().unwrap_or_default()
        ),
        observed_generation: generation.unwrap_or_default(),
        conditions: vec![Condition {
            type_: "Ready".into(),
            status: state.into(),
            reason: reason.into(),
            message: message.into(),
            observed_generation: generation,
            last_transition_time: unchanged.map_or_else(
                || Time(Timestamp::now()),
                |one| one.last_transition_time.clone(),
            ),
        }],
    };
    if status == before {
        return Ok(());
    }
    let api: Api<Echo> = Api::namespaced(client, &echo.namespace().unwrap_or_default());
    let applied =
        json!({ "apiVersion": Echo::api_version(&()), "kind": Echo::kind(&()), "status": status });
    let manager = PatchParams::apply("echo").force();
    match api
        .patch_status(&echo.name_any(), &manager, &Patch::Apply(applied))
        .await
    {
        Err(error) if !is_not_found(&error) => Err(error),
        _ => Ok(()),
    }
}

fn on_error(_echo: Arc<Echo>, _error: &kube::Error, _client: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> kube::Result<()> {
    let client = Client::try_default().await?;
    let echoes: Api<Echo> = Api::all(client.clone());
    let pods: Api<Pod> = Api::all(client.clone());
    Controller::new(echoes, watcher::Config::default())
        .owns(pods, watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, on_error, Arc::new(client))
        .for_each(|result| async move {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
    Ok(())
}
