{{/* The name of the chart in labels. */}}
{{- define "mlscaler.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The first part of the names of all objects: the release, and the chart unless the release is named so. */}}
{{- define "mlscaler.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "mlscaler.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "mlscaler.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ include "mlscaler.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: mlscaler
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- range $key, $value := merge (dict) .Values.commonLabels (.Values.global.commonLabels | default dict) }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* The metadata of an object. Takes root, name, and perhaps namespace, component, labels and annotations. */}}
{{- define "mlscaler.metadata" -}}
name: {{ .name }}
{{- with .namespace }}
namespace: {{ . }}
{{- end }}
labels:
  {{- include "mlscaler.labels" .root | nindent 2 }}
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The labels that select the pods of a role. Takes root and role. */}}
{{- define "mlscaler.selector" -}}
app.kubernetes.io/name: {{ include "mlscaler.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{/* The image: registry/repository:tag, or @digest. */}}
{{- define "mlscaler.image" -}}
{{- $image := .Values.image -}}
{{- $registry := .Values.global.imageRegistry | default $image.registry -}}
{{- with $registry }}{{ trimSuffix "/" . }}/{{ end }}{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- end -}}

{{/* What the code says of the resources that are enabled, by name, as YAML. */}}
{{- define "mlscaler.resources" -}}
{{- $enabled := dict -}}
{{- range $name, $resource := .Files.Get "generated/resources.yaml" | fromYaml -}}
{{- if (index $.Values.resources $name).enabled -}}
{{- $_ := set $enabled $name $resource -}}
{{- end -}}
{{- end -}}
{{- toYaml $enabled -}}
{{- end -}}

{{/*
Rules of rbac.yaml as they are for this release, as a YAML list. Leaves out those on resources that are not enabled, and
names the objects of this release. Takes root and rules.
*/}}
{{- define "mlscaler.rules" -}}
{{- $fullname := include "mlscaler.fullname" .root -}}
{{- $names := dict "pepr-mlscaler-watcher" (printf "%s-watcher" $fullname) "pepr-mlscaler" $fullname -}}
{{- $_ := set $names "mlscaler-guard" (printf "%s-guard" $fullname) -}}
{{- $certificate := include "mlscaler.certificateSecret" .root -}}
{{- $written := include "mlscaler.webhookSecret" .root -}}
{{- $enabled := include "mlscaler.resources" .root | fromYaml -}}
{{- $absent := list -}}
{{- range $name, $resource := .root.Files.Get "generated/resources.yaml" | fromYaml -}}
{{- if not (hasKey $enabled $name) -}}{{- $absent = append $absent $resource.group -}}{{- end -}}
{{- end -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- if not (has (first .apiGroups) $absent) -}}
{{- $rule := deepCopy . -}}
{{- if .resourceNames -}}
{{- $renamed := list -}}
{{- range .resourceNames -}}{{- $renamed = append $renamed (get $names . | default .) -}}{{- end -}}
{{- if has "mlscaler-webhook-certificate" .resourceNames -}}
{{- /* The module serves the certificate of others, and writes nothing but its own Secret. */ -}}
{{- $renamed = ternary (list $written) (list $certificate $written | uniq) (has "update" .verbs) -}}
{{- end -}}
{{- $_ := set $rule "resourceNames" $renamed -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- with $rules -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{/* The subject of a binding. Takes root and role. */}}
{{- define "mlscaler.subjects" -}}
- kind: ServiceAccount
  name: {{ include "mlscaler.fullname" .root }}-{{ .role }}
  namespace: {{ .root.Release.Namespace }}
{{- end -}}

{{/*
A ClusterRole with its binding, or a Role with its binding in each of `namespaces`. Nothing without rules. Takes root,
role, name, rules, and namespaces for a Role.
*/}}
{{- define "mlscaler.role" -}}
{{- $ := . -}}
{{- $rules := include "mlscaler.rules" . -}}
{{- if $rules -}}
{{- $kind := ternary "Role" "ClusterRole" (hasKey . "namespaces") -}}
{{- range .namespaces | default (list "") }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  {{- include "mlscaler.metadata" (dict "root" $.root "name" $.name "namespace" . "component" $.role) | nindent 2 }}
rules:
  {{- $rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  {{- include "mlscaler.metadata" (dict "root" $.root "name" $.name "namespace" . "component" $.role) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $.name }}
subjects:
  {{- include "mlscaler.subjects" $ | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* Whether there is a NetworkPolicy. */}}
{{- define "mlscaler.hasNetworkPolicy" -}}
{{- with .Values.networkPolicy -}}
{{- if or (eq (toString .enabled) "true") (and (eq (toString .enabled) "auto") .apiServer) -}}true{{- end -}}
{{- end -}}
{{- end -}}
