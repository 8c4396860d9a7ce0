// Command echo is an Echo operator as controller-runtime makes it when nothing is tuned: the benchmark's first peer.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var groupVersion = schema.GroupVersion{Group: "my-operator.dev", Version: "v1"}

// Echo keeps a number of pods of one image.
type Echo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              EchoSpec   `json:"spec"`
	Status            EchoStatus `json:"status,omitempty"`
}

// EchoSpec is what is asked for.
type EchoSpec struct {
	Replicas int    `json:"replicas"`
	Image    string `json:"image"`
}

// EchoStatus is what was found.
type EchoStatus struct {
	CurrentReplicas    int                `json:"current_replicas"`
	IsReady            bool               `json:"is_ready"`
	Selector           string             `json:"selector,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// DeepCopyObject makes Echo a runtime.Object.
func (e *Echo) DeepCopyObject() runtime.Object {
	out := *e
	out.ObjectMeta = *e.ObjectMeta.DeepCopy()
	out.Status = e.Status.deepCopy()
	return &out
}

func (s EchoStatus) deepCopy() EchoStatus {
	s.Conditions = append([]metav1.Condition(nil), s.Conditions...)
	return s
}

// EchoList is a list of Echoes.
type EchoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Echo `json:"items"`
}

// DeepCopyObject makes EchoList a runtime.Object.
func (l *EchoList) DeepCopyObject() runtime.Object {
	out := &EchoList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: make([]Echo, len(l.Items))}
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Echo)
	}
	return out
}

type reconciler struct{ client.Client }

// Reconcile makes the pods of an Echo as many as it asks for and writes what it found.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	echo := &Echo{}
	if err := r.Get(ctx, request.NamespacedName, echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !echo.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	labels := client.MatchingLabels{"app": echo.Name, "owner": string(echo.UID)}
	list := &corev1.PodList{}
	if err := r.List(ctx, list, client.InNamespace(echo.Namespace), labels); err != nil {
		return ctrl.Result{}, err
	}
	var pods []corev1.Pod
	for _, pod := range list.Items {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if pod.DeletionTimestamp.IsZero() && !ended && metav1.IsControlledBy(&pod, echo) {
			pods = append(pods, pod)
		}
	}
	for i := len(pods); i < echo.Spec.Replicas; i++ {
		pod, err := r.createPod(ctx, echo, labels)
		if err != nil {
			return ctrl.Result{}, err
		}
		pods = append(pods, *pod)
	}
	for len(pods) > echo.Spec.Replicas {
		surplus := pods[len(pods)-1]
		if err := r.Delete(ctx, &surplus); client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		pods = pods[:len(pods)-1]
	}
	return ctrl.Result{}, r.applyStatus(ctx, echo, pods)
}

func (r *reconciler) createPod(ctx context.Context, echo *Echo, labels map[string]string) (*corev1.Pod, error) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: echo.Name + "-", Namespace: echo.Namespace, Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: echo.Spec.Image}}},
	}
	if err := ctrl.SetControllerReference(echo, pod, r.Scheme()); err != nil {
		return nil, err
	}
	return pod, r.Create(ctx, pod)
}

// applyStatus writes what the pods are like, unless the status says so already.
func (r *reconciler) applyStatus(ctx context.Context, echo *Echo, pods []corev1.Pod) error {
	ready := 0
	for _, pod := range pods {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	status := echo.Status.deepCopy()
	status.CurrentReplicas = len(pods)
	status.IsReady = len(pods) == echo.Spec.Replicas && ready == echo.Spec.Replicas
	status.Selector = fmt.Sprintf("app=%s,owner=%s", echo.Name, echo.UID)
	status.ObservedGeneration = echo.Generation
	condition := metav1.Condition{Type: "Ready", ObservedGeneration: echo.Generation}
	if status.IsReady {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Synced", "all pods are ready"
	} else {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "Progressing", "pods are not ready yet"
	}
	meta.SetStatusCondition(&status.Conditions, condition)
	if equality.Semantic.DeepEqual(status, echo.Status) {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
	if err != nil {
		return err
	}
	applied := &unstructured.Unstructured{Object: map[string]any{"status": content}}
	applied.SetGroupVersionKind(groupVersion.WithKind("Echo"))
	applied.SetNamespace(echo.Namespace)
	applied.SetName(echo.Name)
	err = r.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("echo"), client.ForceOwnership)
	return client.IgnoreNotFound(err)
}

func main() {
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(); err != nil {
		ctrl.Log.Error(err, "the operator ended")
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	scheme.AddKnownTypes(groupVersion, &Echo{}, &EchoList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// No limit of its own on requests: releases that still had one (20 a second) would be measured by it alone, which
	// would be unfair.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	controller := ctrl.NewControllerManagedBy(manager).For(&Echo{}).Owns(&corev1.Pod{})
	if err := controller.Complete(&reconciler{manager.GetClient()}); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
